// Builds for production whatever the caller's environment says: a development build of React runs effects twice.
process.env.NODE_ENV = 'production';
