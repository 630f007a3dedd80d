export { databaseUnavailable, mapDatabaseErrors } from '../database/connection-failure.ts';
