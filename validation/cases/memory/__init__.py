"""Memory for Db2, MQ, Cognos and DFSORT."""
