import { expect, it } from 'vitest';
import { expectReadable } from './looks.ts';
import { describeInBrowser } from './stage.ts';

describeInBrowser('the page Alerts', (stage) => {
  it('adds a channel, whose test arrives and is in the history', async () => {
    const { page } = stage.visitor;
    const receiver = new URL(stage.account.provider.url);
    await page.goto('/alerts?tab=channels');
    await page.getByText('No channels yet').waitFor();
    await page.getByRole('button', { name: 'Add channel' }).first().click();
    const drawer = page.getByRole('dialog', { name: 'Add channel' });
    await drawer.getByLabel('Type').selectOption('SLACK');
    await drawer.getByLabel('Name').fill('On call');
    await drawer.getByLabel('URL').fill(`${receiver.origin}/services/T0/B0/secret-path-9876`);
    await expectReadable(page, 'alert-channel-form');
    await drawer.getByRole('button', { name: 'Add channel' }).click();
    const channel = page.getByRole('button', { name: 'On call' });
    await channel.waitFor();
    await page.getByText(`Slack · ${receiver.host}/…9876`).waitFor();
    expect(await page.content()).not.toContain('secret-path');
    const arrived = stage.account.provider.whenRequested(1);
    await channel.click();
    await page.getByRole('button', { name: 'Send test' }).click();
    await arrived;
    await page.getByRole('tab', { name: 'History' }).waitFor();
    await expect
      .poll(async () => {
        await page.reload();
        const entry = page.getByRole('list', { name: 'Alert history' }).getByRole('listitem').first();
        return entry.innerText();
      })
      .toMatch(/Test[\s\S]*On call[\s\S]*delivered/);
    await expectReadable(page, 'alert-history-entry');
    await page.goto('/alerts?tab=channels');
    await channel.click();
    const form = page.getByRole('form', { name: 'Change channel' });
    await form.getByLabel('Name').fill('On call, second');
    await expectReadable(page, 'alert-channel-change');
    await form.getByLabel('New URL').fill('http://169.254.169.254/latest');
    await form.getByRole('button', { name: 'Save channel' }).click();
    await form.getByRole('alert').waitFor();
    await form.getByLabel('New URL').fill(`${receiver.origin}/services/T0/B0/second-path-5432`);
    await form.getByRole('button', { name: 'Save channel' }).click();
    await page.getByText(`Slack · ${receiver.host}/…5432`).waitFor();
    await page.getByRole('button', { name: 'On call, second' }).waitFor();
    expect(await page.content()).not.toContain('second-path');
  });

  it('creates a rule with its current value, mutes and deletes it', async () => {
    const { page } = stage.visitor;
    await page.goto('/alerts');
    await page.getByText('No rules yet').waitFor();
    await page.getByRole('button', { name: 'Create rule' }).first().click();
    const drawer = page.getByRole('dialog', { name: 'Create rule' });
    const current = drawer.getByRole('status', { name: 'Current value' });
    await current.getByText('$0.00').waitFor();
    await current.getByText('Would not fire').waitFor();
    await drawer.getByLabel('What to watch').selectOption('KEY_EXPIRING');
    await drawer.getByText('Fires for each API key that expires within this many days.').waitFor();
    await current.getByText('No key has an expiry.').waitFor();
    await drawer.getByLabel('What to watch').selectOption('ERROR_RATE');
    await drawer.getByLabel('Threshold (%)').fill('25');
    await drawer.getByLabel('Resolves at (%)').fill('30');
    await drawer.getByText('must not be above the threshold').waitFor();
    await drawer.getByLabel('Resolves at (%)').fill('5');
    await current.getByText('0%').waitFor();
    await drawer.getByLabel('Name').fill('Many errors');
    await expectReadable(page, 'alert-rule-form');
    await drawer.getByRole('button', { name: 'Create rule' }).click();
    const rule = page.getByRole('button', { name: 'Many errors' });
    await rule.waitFor();
    await page.getByText('Error rate ≥ 25% in 1 hour').waitFor();
    await expectReadable(page, 'alert-rules');
    await rule.click();
    await page.getByRole('button', { name: 'Mute' }).click();
    await page.getByRole('menuitem', { name: '8 hours' }).click();
    await page.getByText('Muted until').waitFor();
    await expectReadable(page, 'alert-rule-muted');
    await page.getByRole('button', { name: 'Unmute' }).click();
    await page.getByRole('button', { name: 'Mute', exact: true }).waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete rule' }).click();
    await page.getByText('No rules yet').waitFor();
  });
});
