export { databaseUnavailable, mapDatabaseErrors } from '../database/database-availability.ts';
