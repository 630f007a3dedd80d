import { expect, it } from 'vitest';
import { z } from 'zod';
import { drawn, signIn, visit, type Visitor } from '../harness/chromium.ts';
import { expectReadable } from './looks.ts';
import { describeInBrowser } from './stage.ts';

type Page = Visitor['page'];

const DRAWN = 'A boat on a lake.';
const SPOKEN = 'The boat leaves at ten.';

/** Script that lists the results stored in this browser, oldest first. */
const storedPlaces = `new Promise((resolve, reject) => {
    const opening = indexedDB.open('sluice', 1);
    opening.onupgradeneeded = () =>
      opening.result.createObjectStore('results', { keyPath: 'place' }).createIndex('storedAt', 'storedAt');
    opening.onerror = () => reject(opening.error);
    opening.onsuccess = () => {
      const reading = opening.result.transaction('results').objectStore('results').index('storedAt').getAllKeys();
      reading.onsuccess = () => (opening.result.close(), resolve(reading.result));
    };
  })`;

async function placesIn(page: Page): Promise<readonly string[]> {
  return z.array(z.string()).parse(await page.evaluate(storedPlaces));
}

/** Script that stores 25 older results of another user. */
const storeOld = `new Promise((resolve, reject) => {
    const opening = indexedDB.open('sluice', 1);
    opening.onerror = () => reject(opening.error);
    opening.onsuccess = () => {
      const writing = opening.result.transaction('results', 'readwrite');
      for (let age = 1; age <= 25; age += 1)
        writing.objectStore('results').put({ place: 'old.' + age, storedAt: Date.now() - age * 1000, bytes: 10, result: null });
      writing.oncomplete = () => (opening.result.close(), resolve());
    };
  })`;

describeInBrowser('media generated in the playground', (stage) => {
  async function choose(page: Page, capability: string): Promise<void> {
    await page.getByRole('tab', { name: new RegExp(`^${capability}`) }).click();
    await page.getByRole('button', { name: /^Model: ?sandbox\// }).waitFor();
  }

  async function draw(page: Page): Promise<void> {
    await choose(page, 'Images');
    await page.getByRole('textbox', { name: 'Prompt' }).fill(DRAWN);
    await page.getByRole('button', { name: 'Generate' }).click();
  }

  async function speak(page: Page): Promise<void> {
    await choose(page, 'Speech');
    await page.getByRole('textbox', { name: 'Text', exact: true }).fill(SPOKEN);
    await page.getByRole('button', { name: 'Generate' }).click();
    await page.getByLabel('Generated speech').waitFor();
  }

  async function film(page: Page): Promise<void> {
    await choose(page, 'Video');
    await page.getByRole('button', { name: 'Generate' }).click();
    await page.getByLabel('Generated video').waitFor();
  }

  async function expectDrawn(page: Page): Promise<void> {
    await choose(page, 'Images');
    const picture = page.getByRole('img', { name: `${DRAWN}, 1` });
    await expect.poll(() => picture.evaluate((each) => Number(Reflect.get(each, 'naturalWidth')))).toBeGreaterThan(0);
  }

  async function expectSpoken(page: Page): Promise<void> {
    await choose(page, 'Speech');
    const audio = page.getByLabel('Generated speech');
    await expect.poll(() => audio.evaluate((each) => Number(Reflect.get(each, 'duration')))).toBeGreaterThan(0.5);
    expect(await audio.evaluate((each) => Reflect.get(each, 'autoplay'))).toBe(false);
  }

  async function expectFilmed(page: Page): Promise<void> {
    await choose(page, 'Video');
    const video = page.getByLabel('Generated video');
    await expect.poll(() => video.evaluate((each) => Number(Reflect.get(each, 'readyState')))).toBeGreaterThan(0);
  }

  async function expectNothing(page: Page): Promise<void> {
    for (const [capability, empty] of [
      ['Images', 'The images appear here'],
      ['Speech', 'The speech can be played here'],
      ['Video', 'The video appears here'],
    ] as const) {
      await choose(page, capability);
      const place = page.getByRole('region', { name: 'Result' }).getByText(empty);
      await place.waitFor();
      // The page reads the browser's storage before this.
      await placesIn(page);
      await drawn(page);
      expect(await place.count()).toBe(1);
    }
  }

  async function leaveAndReturn(page: Page): Promise<void> {
    const rail = page.getByRole('navigation', { name: 'Pages' });
    await rail.getByRole('link', { name: 'Models' }).click();
    await page.getByRole('heading', { level: 1, name: 'Models' }).waitFor();
    await rail.getByRole('link', { name: 'Playground' }).click();
    await page.getByRole('heading', { level: 1, name: 'Playground' }).waitFor();
  }

  it('remain after the page is left or reloaded, until sign-out', async () => {
    const visitor = await visit(stage.browser, stage.account.url);
    const { page } = visitor;
    await signIn(page, stage.account);
    await page.goto('/playground');
    await draw(page);
    await expectDrawn(page);
    await speak(page);
    await film(page);
    await leaveAndReturn(page);
    await expectDrawn(page);
    await expectSpoken(page);
    await expectFilmed(page);
    await expect.poll(() => placesIn(page)).toHaveLength(3);
    await page.reload();
    await expectSpoken(page);
    await page.getByText(`Input: ${SPOKEN}`).waitFor();
    await expectFilmed(page);
    await expectDrawn(page);

    await page.getByRole('complementary').getByRole('button').first().click();
    await page.getByRole('menuitem', { name: 'New account' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Lakes');
    await dialog.getByRole('button', { name: 'Create account' }).click();
    await page.getByRole('button', { name: 'Lakes' }).waitFor();
    await page.goto('/playground');
    await expectNothing(page);

    await page.getByRole('button', { name: /^Account menu/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await expect.poll(() => placesIn(page)).toEqual([]);
    await signIn(page, stage.account);
    await page.goto('/playground');
    await expectNothing(page);
    expect(visitor.errors).toEqual([]);
    await visitor.close();
  });

  it('are readable in every size and theme, beside another prompt', async () => {
    const visitor = await visit(stage.browser, stage.account.url, { cookie: stage.account.cookie });
    const { page } = visitor;
    await page.goto('/playground');
    await draw(page);
    await expect.poll(() => placesIn(page)).toHaveLength(1);
    await page.reload();
    await expectDrawn(page);
    await page.getByText(`Input: ${DRAWN}`).waitFor();
    await expectReadable(page, 'playground-kept-images');
    await visitor.close();
  });

  it('arrive while the page is left', async () => {
    const visitor = await visit(stage.browser, stage.account.url, { cookie: stage.account.cookie });
    const { page } = visitor;
    await page.goto('/playground');
    let answer: (() => void) | undefined;
    const asked = new Promise<void>((isAsked) => {
      void page.route('**/v1/images/generations', async (route) => {
        await new Promise<void>((resolve) => {
          answer = resolve;
          isAsked();
        });
        await route.continue();
      });
    });
    await draw(page);
    await asked;
    await leaveAndReturn(page);
    await page.getByRole('button', { name: 'Stop' }).waitFor();
    answer?.();
    await expectDrawn(page);
    await visitor.close();
  });

  it('are not shown beside the error of a later request', async () => {
    const visitor = await visit(stage.browser, stage.account.url, { cookie: stage.account.cookie });
    const { page } = visitor;
    await page.goto('/playground');
    await film(page);
    await page.route('**/v1/videos', (route) =>
      route.fulfill({ status: 500, json: { error: { message: 'The provider failed.', code: 'provider_error' } } }),
    );
    await page.getByRole('button', { name: 'Generate' }).click();
    await page.getByRole('region', { name: 'Result' }).getByText('The provider failed.').waitFor();
    expect(await page.getByLabel('Generated video').count()).toBe(0);
    await visitor.close();
  });

  it('are removed with their result and with the history, and are not stored when storage is off', async () => {
    const visitor = await visit(stage.browser, stage.account.url, { cookie: stage.account.cookie });
    const { page } = visitor;
    await page.goto('/playground');
    await speak(page);
    await draw(page);
    await expect.poll(() => placesIn(page)).toHaveLength(2);
    await page.getByRole('button', { name: 'Clear result' }).click();
    await page.getByText('The images appear here').waitFor();
    await expect.poll(() => placesIn(page)).toEqual([expect.stringMatching(/\.speech$/)]);
    await page.getByRole('button', { name: 'History' }).click();
    await page.getByRole('button', { name: 'Clear', exact: true }).click();
    await page.getByText('No history yet').waitFor();
    await expect.poll(() => placesIn(page)).toEqual([]);
    await page.getByLabel('Store prompts and media in this browser').uncheck();
    await page.keyboard.press('Escape');
    await draw(page);
    await expectDrawn(page);
    await leaveAndReturn(page);
    await expectDrawn(page);
    await page.reload();
    await expectNothing(page);
    await visitor.close();
  });

  it('replace the oldest when there are many', async () => {
    const visitor = await visit(stage.browser, stage.account.url, { cookie: stage.account.cookie });
    const { page } = visitor;
    await page.goto('/playground');
    await placesIn(page);
    await page.evaluate(storeOld);
    await draw(page);
    const youngest = Array.from({ length: 19 }, (_, place) => `old.${19 - place}`);
    await expect.poll(() => placesIn(page)).toEqual([...youngest, expect.stringMatching(/\.images$/)]);
    await visitor.close();
  });

  it.each([
    ['has no database', `Object.defineProperty(globalThis, 'indexedDB', { value: undefined });`],
    ['refuses its database', `indexedDB.open = () => { throw new DOMException('no', 'SecurityError'); };`],
    ['is full', `IDBObjectStore.prototype.put = () => { throw new DOMException('full', 'QuotaExceededError'); };`],
  ])('are shown when the browser %s', async (_what, script) => {
    const visitor = await visit(stage.browser, stage.account.url, { cookie: stage.account.cookie });
    const { page } = visitor;
    await page.addInitScript(script);
    await page.goto('/playground');
    await draw(page);
    await expectDrawn(page);
    await leaveAndReturn(page);
    await expectDrawn(page);
    await page.reload();
    await page.getByText('The images appear here').waitFor();
    expect(visitor.errors).toEqual([]);
    await visitor.close();
  });

  it('are removed when the account gets zero retention, and are no longer stored', async () => {
    const visitor = await visit(stage.browser, stage.account.url, { cookie: stage.account.cookie });
    const { page } = visitor;
    await page.goto('/playground');
    await draw(page);
    await expect.poll(() => placesIn(page)).toHaveLength(1);
    await setZeroRetention(true);
    await page.reload();
    await expectNothing(page);
    await expect.poll(() => placesIn(page)).toEqual([]);
    await page.goto('/playground');
    await draw(page);
    await expectDrawn(page);
    expect(await placesIn(page)).toEqual([]);
    const prompts = `Object.keys(localStorage).filter((name) => name.startsWith('sluice.playground.'))`;
    expect(await page.evaluate(prompts)).toEqual([]);
    await setZeroRetention(false);
    await page.reload();
    await expectNothing(page);
    await visitor.close();
  });

  async function setZeroRetention(on: boolean): Promise<void> {
    const query = 'mutation ($on: Boolean!) { updateAccount(input: { zeroRetention: $on }) { zeroRetention } }';
    const response = await fetch(`${stage.account.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie: stage.account.cookie },
      body: JSON.stringify({ query, variables: { on } }),
    });
    expect(await response.json()).toEqual({ data: { updateAccount: { zeroRetention: on } } });
  }
});
