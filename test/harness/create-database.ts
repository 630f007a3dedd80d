import { randomUUID } from 'node:crypto';
import { Client } from 'pg';

/** A new database on a server, empty or a copy of `template`. */
export async function createDatabase(adminUrl: string, template = 'template0'): Promise<{ name: string; url: string }> {
  const name = `sluice_test_${randomUUID().replaceAll('-', '')}`;
  await administer(
    adminUrl,
    (admin) => `create database ${admin.escapeIdentifier(name)} template ${admin.escapeIdentifier(template)}`,
  );
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  return { name, url: url.href };
}

export async function dropDatabase(adminUrl: string, name: string): Promise<void> {
  await administer(adminUrl, (admin) => `drop database if exists ${admin.escapeIdentifier(name)} with (force)`);
}

async function administer(adminUrl: string, statement: (admin: Client) => string): Promise<void> {
  const admin = new Client({ connectionString: adminUrl });
  await admin.connect();
  try {
    await admin.query(statement(admin));
  } finally {
    await admin.end();
  }
}
