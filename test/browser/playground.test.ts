import { expect, it } from 'vitest';
import { wavOf } from './recording.ts';
import { accessibilityFaults, photograph, settled, signIn, visit, type Visitor } from '../harness/chromium.ts';
import { describeInBrowser } from './stage.ts';

/** Script for a silent microphone that waits for its permission. */
const microphone = `globalThis.microphone = { asked: 0, streams: [], waiting: [],
    allow() { for (const allow of this.waiting.splice(0)) allow(); },
    open() { return this.streams.flatMap((each) => each.getTracks()).filter((each) => each.readyState === 'live').length; },
  };
  navigator.mediaDevices.getUserMedia = async () => {
    microphone.asked += 1;
    await new Promise((allow) => microphone.waiting.push(allow));
    const { stream } = new AudioContext().createMediaStreamDestination();
    microphone.streams.push(stream);
    return stream;
  };`;

describeInBrowser('the playground', (stage) => {
  async function open(capability: string): Promise<Visitor['page']> {
    const { page } = stage.visitor;
    // The operator's aliases of chat models are listed before the sandbox model.
    const model = capability === 'chat' ? '&model=sandbox/chat' : '';
    await page.goto(`/playground?capability=${capability}${model}`);
    await settled(page);
    await page.getByRole('button', { name: /^Model: ?sandbox\// }).waitFor();
    return page;
  }

  it('streams a chat and shows tokens, time and cost', async () => {
    const page = await open('chat');
    await page.getByLabel('Message').fill('Count to three.');
    await page.getByLabel('Max tokens').fill('12');
    await page.keyboard.press('Tab');
    await page.getByRole('button', { name: 'Send' }).click();
    const answer = page.getByRole('group', { name: 'Response' });
    await page.getByText('12 tokens', { exact: true }).waitFor();
    expect((await answer.textContent())?.length).toBeGreaterThan(10);
    await page.getByText('First token').waitFor();
    await page.getByText('$0.00').waitFor();
    await photograph(page, 'playground-answer-desktop-light');
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  it('renders Markdown without HTML of the response and without other hosts', async () => {
    const page = await open('chat');
    // The sandbox quotes the prompt.
    await page
      .getByLabel('Message')
      .fill('**Bold**, [there](https://elsewhere.example/), ![a bird](https://elsewhere.example/a.png), <b>raw</b>');
    await page.getByRole('button', { name: 'Send' }).click();
    const answer = page.getByRole('group', { name: 'Response' });
    await answer.getByText('<b>raw</b>').waitFor();
    await answer.locator('strong').getByText('Bold').waitFor();
    for (const name of ['there', 'a bird'])
      expect(await answer.getByRole('link', { name }).getAttribute('rel')).toContain('noopener noreferrer');
    expect(await answer.locator('img, b').count()).toBe(0);
    await page.getByRole('button', { name: 'Send' }).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(stage.visitor.requested.filter((each) => each.includes('elsewhere.example'))).toEqual([]);
  });

  it('stops a response, which is cancelled at the provider immediately', async () => {
    const page = await open('chat');
    await page.getByLabel('Message').fill('Tell of the sea in 100000 words.');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('First token').waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('stopped by you').waitFor();
    await page.getByRole('button', { name: 'Send' }).waitFor();
  });

  it('sends images and tools, and continues with the result of a tool call', async () => {
    const page = await open('chat');
    await page.getByLabel('Tools').fill(
      JSON.stringify([
        {
          type: 'function',
          function: {
            name: 'weather',
            parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
          },
        },
      ]),
    );
    await page.getByLabel('Image files', { exact: true }).setInputFiles({
      name: 'dot.png',
      mimeType: 'image/png',
      buffer: Buffer.from(
        'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
        'base64',
      ),
    });
    await page.getByRole('img', { name: 'Attached image 1' }).waitFor();
    await page.getByLabel('Message').fill('Call the tool weather.');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByLabel('Result of weather').fill('Sunny, 21 degrees');
    await page.getByRole('button', { name: 'Submit results' }).click();
    await page.getByText('Result: Sunny, 21 degrees').waitFor();
    await expect.poll(() => page.getByText('First token').count()).toBe(2);
  });

  it('retains the message when it could not be sent', async () => {
    const page = await open('chat');
    await page.getByLabel('Tools').fill('{');
    await page.getByLabel('Message').fill('A message that took long to write');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('alert').getByText('Not sent: the tools').waitFor();
    expect(await page.getByLabel('Message').inputValue()).toBe('A message that took long to write');
    await page.getByLabel('Tools').fill('');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('First token').waitFor();
    expect(await page.getByLabel('Message').inputValue()).toBe('');
  });

  it('retains and continues a conversation while another capability is shown', async () => {
    const page = await open('chat');
    await page.getByLabel('Message').fill('Tell of the sky in 100000 words.');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('button', { name: 'Stop' }).waitFor();
    await page.getByRole('tab', { name: /^Images/ }).click();
    await page.getByRole('button', { name: 'Generate' }).waitFor();
    expect(await page.getByRole('log', { name: 'Conversation' }).count()).toBe(0);
    await page.getByRole('tab', { name: /^Chat/ }).click();
    await page
      .getByRole('log', { name: 'Conversation' })
      .getByText('Tell of the sky in 100000 words.', { exact: true })
      .waitFor();
    await page.getByText('First token').waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('button', { name: 'Send' }).waitFor();
  });

  it('continues a conversation while the page is left, and sends no request twice', async () => {
    const { page } = stage.visitor;
    let asked = 0;
    page.on('websocket', (socket) =>
      socket.on('framesent', ({ payload }) => {
        if (payload.includes('subscription PlaygroundCompletion')) asked += 1;
      }),
    );
    await open('chat');
    await page.getByLabel('System prompt').fill('Be brief.');
    await page.getByLabel('Message').fill('Tell of the hills in 100000 words.');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByLabel('Message').fill('Half of the next');
    await page.getByRole('button', { name: 'Stop' }).waitFor();
    const rail = page.getByRole('navigation', { name: 'Pages' });
    await rail.getByRole('link', { name: 'Models' }).click();
    await page.getByRole('heading', { level: 1, name: 'Models' }).waitFor();
    await rail.getByRole('link', { name: 'Playground' }).click();
    await page.getByRole('heading', { level: 1, name: 'Playground' }).waitFor();
    const conversation = page.getByRole('log', { name: 'Conversation' });
    await conversation.getByText('Tell of the hills in 100000 words.', { exact: true }).waitFor();
    await conversation.getByText('First token').waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    expect(await page.getByLabel('Message').inputValue()).toBe('Half of the next');
    expect(await page.getByLabel('System prompt').inputValue()).toBe('Be brief.');
    expect(page.url()).toContain('capability=chat');
    await page.getByRole('button', { name: 'Send' }).click();
    await expect.poll(() => conversation.getByText('First token').count()).toBe(2);
    expect(asked).toBe(2);
  });

  it('shows no conversation in another account or to a later user', async () => {
    const other = await visit(stage.browser, stage.account.url);
    const { page } = other;
    const rail = page.getByRole('navigation', { name: 'Pages' });
    const ask = async (): Promise<void> => {
      await rail.getByRole('link', { name: 'Playground' }).click();
      await page.getByText('Send a message.').waitFor();
      expect(await page.getByLabel('Message').inputValue()).not.toBe('Kept to one account');
      await page.getByLabel('Message').fill('Said in one account');
      await page.getByRole('button', { name: 'Send' }).click();
      await page.getByText('First token').waitFor();
      await page.getByLabel('Message').fill('Kept to one account');
    };
    await signIn(page, stage.account);
    await ask();
    await page.getByRole('complementary').getByRole('button').first().click();
    await page.getByRole('menuitem', { name: 'New account' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Hills');
    await dialog.getByRole('button', { name: 'Create account' }).click();
    await page.getByRole('button', { name: 'Hills' }).waitFor();
    await ask();
    await page.getByRole('button', { name: /^Account menu/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByLabel('E-mail').fill(stage.account.email);
    await page.getByLabel('Password').fill(stage.account.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await ask();
    expect(await page.evaluate('JSON.stringify(sessionStorage)')).not.toContain('one account');
    await other.close();
  });

  it('stops a recording and the request for the microphone when the page is left', async () => {
    const other = await visit(stage.browser, stage.account.url, { cookie: stage.account.cookie });
    const { page } = other;
    await page.addInitScript(microphone);
    const asked = () => page.evaluate('microphone.asked');
    const streams = () => page.evaluate('[microphone.streams.length, microphone.open()]');
    await page.goto('/playground?capability=transcription');
    await page.getByRole('button', { name: 'Record', exact: true }).dblclick();
    expect(await asked()).toBe(1);
    await page.getByRole('tab', { name: /^Chat/ }).click();
    await page.evaluate('microphone.allow()');
    await expect.poll(streams).toEqual([1, 0]);
    await page.getByRole('tab', { name: /^Transcription/ }).click();
    await page.getByRole('button', { name: 'Record', exact: true }).click();
    await page.evaluate('microphone.allow()');
    await page.getByRole('button', { name: 'Stop recording' }).waitFor();
    expect(await streams()).toEqual([2, 1]);
    await page.getByRole('tab', { name: /^Chat/ }).click();
    await expect.poll(streams).toEqual([2, 0]);
    await page.getByRole('tab', { name: /^Transcription/ }).click();
    await page.getByText('recording.webm').waitFor();
    await page.getByRole('button', { name: 'Record', exact: true }).click();
    await page.getByRole('link', { name: 'Models' }).click();
    await page.getByRole('heading', { level: 1, name: 'Models' }).waitFor();
    await page.evaluate('microphone.allow()');
    await expect.poll(streams).toEqual([3, 0]);
    expect(other.errors).toEqual([]);
    await other.close();
  });

  it('is linked from a model’s page, and so is the comparator', async () => {
    const { page } = stage.visitor;
    await page.goto('/models/sandbox/image');
    await page.getByRole('link', { name: 'Compare: Images' }).click();
    await page.getByRole('list', { name: 'Selected models' }).getByText('sandbox/image').waitFor();
    await page.goBack();
    await page.getByRole('link', { name: 'Try: Images' }).click();
    await page.getByRole('button', { name: /^Model: ?sandbox\/image/ }).waitFor();
    await page.getByRole('button', { name: 'Generate' }).click();
    await page.getByRole('region', { name: 'Result' }).getByRole('img').waitFor();
  });

  it('generates images and speech, transcribes, moderates and compares embeddings', async () => {
    let page = await open('images');
    await page.getByRole('button', { name: 'Generate' }).click();
    await page.getByRole('region', { name: 'Result' }).getByRole('img').waitFor();

    page = await open('speech');
    await page.getByRole('button', { name: 'Generate' }).click();
    const audio = page.getByLabel('Generated speech');
    await audio.waitFor();
    await expect.poll(() => audio.evaluate((each) => Number(Reflect.get(each, 'duration')))).toBeGreaterThan(0.5);

    page = await open('transcription');
    await page
      .getByLabel('Recording', { exact: true })
      .setInputFiles({ name: 'words.wav', mimeType: 'audio/wav', buffer: wavOf(2) });
    await page.getByRole('button', { name: 'Transcribe' }).click();
    await page.getByRole('button', { name: 'Copy the text' }).waitFor();

    page = await open('moderation');
    await page.getByRole('button', { name: 'Check' }).click();
    await page.getByText('Not flagged').waitFor();

    page = await open('embeddings');
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.getByRole('region', { name: 'Similarity' }).getByText('1.000').first().waitFor();
  });

  it('generates a video and shows its progress', async () => {
    const page = await open('video');
    await page.getByRole('button', { name: 'Generate' }).click();
    const video = page.getByLabel('Generated video');
    await video.waitFor();
    await expect.poll(() => video.evaluate((each) => Number(Reflect.get(each, 'readyState')))).toBeGreaterThan(0);
  });

  it('shows code with the whole conversation and every parameter', async () => {
    const page = await open('chat');
    await page.getByLabel('Max tokens').fill('12');
    await page.getByLabel('Message').fill('The first question');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('12 tokens', { exact: true }).waitFor();
    await page.getByLabel('Message').fill('The second question');
    await page.getByRole('button', { name: 'View code' }).click();
    const code = page.getByRole('region', { name: 'Code' });
    for (const language of ['curl', 'TypeScript', 'Python', 'GraphQL']) {
      await page.getByRole('tab', { name: language }).click();
      await code
        .filter({ hasText: 'The first question' })
        .filter({ hasText: 'assistant' })
        .filter({ hasText: 'The second question' })
        .filter({ hasText: /max_completion_tokens\W+12/ })
        .waitFor();
    }
    for (const [sdk, limit] of [
      ['OpenAI SDK, Responses', 'max_output_tokens'],
      ['Anthropic SDK', 'max_tokens'],
      ['Google GenAI SDK', 'maxOutputTokens'],
    ] as const) {
      await page.getByLabel('SDK').selectOption(sdk);
      for (const language of ['TypeScript', 'Python']) {
        await page.getByRole('tab', { name: language }).click();
        await code
          .filter({ hasText: 'The first question' })
          .filter({ hasText: 'The second question' })
          .filter({ hasText: new RegExp(`${limit}\\W+12`) })
          .waitFor();
      }
    }
    await photograph(page, 'view-code');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'New conversation', exact: true }).click();
    await page.getByLabel('Max tokens').fill('');
  });

  it('shows its request as code, and shares it in the fragment of a link', async () => {
    const page = await open('chat');
    await page.getByLabel('Message').fill('A prompt to pass on');
    await page.getByLabel('System prompt').fill('Be brief.');
    await page.getByRole('button', { name: 'View code' }).click();
    const code = page.getByRole('region', { name: 'Code' });
    for (const [language, key] of [
      ['curl', '"Authorization: Bearer $SLUICE_API_KEY"'],
      ['TypeScript', 'apiKey: process.env.SLUICE_API_KEY'],
      ['Python', 'api_key=os.environ["SLUICE_API_KEY"]'],
      ['GraphQL', 'Bearer $SLUICE_API_KEY'],
    ] as const) {
      await page.getByRole('tab', { name: language }).click();
      await code
        .filter({ hasText: 'A prompt to pass on' })
        .filter({ hasText: 'Be brief.' })
        .filter({ hasText: key })
        .waitFor();
    }
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Share' }).click();
    await page
      .getByText(/contains prompt, model and parameters.* It was copied and is in the address bar/)
      .first()
      .waitFor();
    const link = page.url();
    const other = await visit(stage.browser, stage.account.url, { cookie: stage.account.cookie });
    await other.page.goto(link);
    await settled(other.page);
    expect(await other.page.getByLabel('Message').inputValue()).toBe('A prompt to pass on');
    expect(await other.page.getByLabel('System prompt').inputValue()).toBe('Be brief.');
    // The fragment, verbatim and percent-encoded.
    const fragment = new URL(link).hash.slice(1);
    expect(fragment.length).toBeGreaterThan(100);
    const told = [fragment, 'A prompt to pass on', encodeURIComponent('A prompt to pass on'), 'A+prompt+to+pass+on'];
    expect(other.requested.filter((each) => told.some((text) => each.includes(text)))).toEqual([]);
    await other.close();
  });

  it('redirects from a shared link to sign-in and back to its content', async () => {
    const { page } = stage.visitor;
    await open('chat');
    await page.getByLabel('Message').fill('A prompt for who is not signed in');
    await page.getByRole('button', { name: 'Share' }).click();
    await expect.poll(() => new URL(page.url()).hash.length).toBeGreaterThan(100);
    const link = new URL(page.url());
    const fragment = link.hash.slice(1);
    const other = await visit(stage.browser, stage.account.url);
    const sent: string[] = [];
    other.page.on('request', (request) => sent.push(request.url(), request.headers().referer ?? ''));
    await other.page.goto(link.href);
    await other.page.getByRole('heading', { name: 'Sign in' }).waitFor();
    const door = new URL(other.page.url());
    expect([door.search, door.hash.slice(1)]).toEqual(['?next=%2Fplayground', fragment]);
    await other.page.reload();
    await other.page.getByLabel('E-mail').fill(stage.account.email);
    await other.page.getByLabel('Password').fill(stage.account.password);
    await other.page.getByRole('button', { name: 'Sign in' }).click();
    await other.page.getByRole('heading', { level: 1, name: 'Playground' }).waitFor();
    expect(await other.page.getByLabel('Message').inputValue()).toBe('A prompt for who is not signed in');
    expect(sent.filter((each) => each.includes(fragment))).toEqual([]);
    await other.close();
  });

  it.each([
    ['has no clipboard', 'undefined'],
    ['does not allow it', '{ writeText: () => Promise.reject(new Error("no")) }'],
  ])('states that a link is not copied when the browser %s', async (_what, clipboard) => {
    const other = await visit(stage.browser, stage.account.url, { cookie: stage.account.cookie });
    await other.page.addInitScript(`Object.defineProperty(navigator, 'clipboard', { value: ${clipboard} });
      document.execCommand = () => false;`);
    await other.page.goto('/playground');
    await other.page.getByRole('button', { name: 'Share' }).click();
    await other.page.getByText('Copy it from the address bar.').first().waitFor();
    await other.close();
  });

  it('stores sent prompts in this browser until they are cleared', async () => {
    const page = await open('chat');
    await page.getByRole('button', { name: 'History' }).click();
    await page.getByRole('button', { name: /Count to three/ }).click();
    expect(await page.getByLabel('Message').inputValue()).toBe('Count to three.');
    await page.getByRole('button', { name: 'History' }).click();
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByText('No history yet').waitFor();
    const kept = String(await page.evaluate('JSON.stringify(localStorage)'));
    expect(kept).not.toContain('Count to three');
    expect(kept).not.toContain('st-sluice-');
    expect(stage.visitor.errors).toEqual([]);
  });
});
