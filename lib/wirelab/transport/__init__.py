"""The only room that opens connections: a client, a transport that records, and one that answers from captures."""
