import { Client } from 'pg';
import { startEmbeddedServer } from '../../../src/database/embedded/embedded-server.ts';

/**
 * A process of its own that opens a data folder, and then writes one row after another, telling each number once
 * the database has acknowledged it; or that says why it may not open the folder.
 */
const [dataDir = ''] = process.argv.slice(2);
try {
  const server = await startEmbeddedServer(dataDir);
  const client = new Client({ host: server.socketFolder, port: 5432, user: 'postgres', database: 'postgres' });
  await client.connect();
  await client.query('create table if not exists acknowledged (number integer primary key)');
  process.stdout.write('open\n');
  for (let number = 1; ; number += 1) {
    await client.query('insert into acknowledged (number) values ($1)', [number]);
    process.stdout.write(`${number}\n`);
  }
} catch (error) {
  process.stdout.write(`${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}\n`);
  process.exit(1);
}
