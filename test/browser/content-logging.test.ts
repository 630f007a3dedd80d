import { expect, it } from 'vitest';
import { z } from 'zod';
import { expectReadable } from './looks.ts';
import { describeInBrowser } from './stage.ts';

const answerSchema = z.object({ data: z.record(z.string(), z.any()) });

describeInBrowser('content logging', (stage) => {
  async function ask(query: string) {
    const response = await fetch(`${stage.account.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie: stage.account.cookie },
      body: JSON.stringify({ query }),
    });
    return answerSchema.parse(await response.json()).data;
  }

  const settings = async () =>
    (
      await ask(
        '{ account { contentLogging { level isDefault retentionDays redaction { detectors customPatterns { name pattern } } } } }',
      )
    ).account.contentLogging;

  it('is off at first, and says what is stored where', async () => {
    const { page } = stage.visitor;
    await page.goto('/settings?tab=content');
    const section = page.getByRole('region', { name: 'Content logging' });
    await section.getByText('What is stored where').waitFor();
    expect(await section.getByLabel('Stored content').locator('option:checked').textContent()).toBe(
      'Server default (Off)',
    );
    for (const detector of await section.locator('input[name="detectors"]').all())
      expect(await detector.isChecked()).toBe(true);
    await expectReadable(page, 'content-logging');
  });

  it('shows how a text is redacted by rules that are not saved', async () => {
    const { page } = stage.visitor;
    await page.getByLabel('IP addresses').uncheck();
    await page.getByRole('button', { name: 'Add expression' }).click();
    await page.getByLabel('Name of expression 1').fill('ticket');
    await page.getByLabel('Expression 1', { exact: true }).fill('TICKET-[0-9]+');
    await page.getByLabel('Try it').fill('jane@example.com from 10.1.2.3 about TICKET-17');
    await page.getByRole('button', { name: 'Show redacted' }).click();
    const shown = page.getByRole('status', { name: 'Redacted text' });
    await shown.getByText('[redacted:email] from 10.1.2.3 about [redacted:ticket]').waitFor();
    await shown.getByText('Replaced: email 1, ticket 1').waitFor();
    await expectReadable(page, 'content-logging-test');
    expect((await settings()).redaction.customPatterns).toEqual([]);
  });

  it('is saved, and names the expression that cannot be used', async () => {
    const { page } = stage.visitor;
    await page.getByLabel('Stored content').selectOption('FULL');
    await page.getByLabel('Retention (days)').fill('7');
    await page.getByLabel('Expression 1', { exact: true }).fill('TICKET-[');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').getByText('not valid in the syntax of RE2').waitFor();
    expect(await page.getByLabel('Expression 1', { exact: true }).getAttribute('aria-invalid')).toBe('true');
    await page.getByLabel('Expression 1', { exact: true }).fill('TICKET-[0-9]+');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Content logging updated.').first().waitFor();
    expect(await settings()).toEqual({
      level: 'FULL',
      isDefault: false,
      retentionDays: 7,
      redaction: {
        detectors: ['EMAIL', 'PHONE', 'CARD', 'IBAN', 'SECRET'],
        customPatterns: [{ name: 'ticket', pattern: 'TICKET-[0-9]+' }],
      },
    });
  });

  it('can be lowered, and by an owner raised, for one key', async () => {
    const { page } = stage.visitor;
    await page.goto('/keys?create=true');
    const form = page.getByRole('dialog');
    await form.getByLabel('Name', { exact: true }).fill('Quiet');
    await form.getByLabel('Content logging').selectOption('METADATA');
    await form.getByLabel('May store more than the account').check();
    await form.getByLabel('Content logging').scrollIntoViewIfNeeded();
    await expectReadable(page, 'content-logging-key');
    await form.getByRole('button', { name: 'Create Key' }).click();
    await page.getByRole('heading', { name: 'Key created' }).waitFor();
    const { apiKeys } = await ask('{ apiKeys(first: 10) { nodes { name contentLevel contentMayRaise } } }');
    expect(apiKeys.nodes).toContainEqual({ name: 'Quiet', contentLevel: 'METADATA', contentMayRaise: true });
  });
});
