import { expect, test } from 'vitest';
import { checkForwardedUrls, type ForwardedUrls } from '../../../src/gateway/policy/forwarded-urls.ts';

const LOCAL = 'http://127.0.0.1/';

/** The paths of the checked members. */
function checkedIn(request: object): string[] {
  const checked: string[] = [];
  const urls: ForwardedUrls = {
    check: (_url, path) => void checked.push(path),
    inlines: () => false,
    fetch: () => Promise.reject(new Error('nothing is fetched here')),
  };
  checkForwardedUrls(urls, request);
  return checked;
}

test.each([
  ['ref_images', [LOCAL], 'ref_images[0]'],
  ['reference_images', [LOCAL], 'reference_images[0]'],
  ['start_image', LOCAL, 'start_image'],
  ['end_image', LOCAL, 'end_image'],
  ['image_data', LOCAL, 'image_data'],
  ['image-url', LOCAL, 'image-url'],
  ['imageUrl', LOCAL, 'imageUrl'],
  ['imageURL', LOCAL, 'imageURL'],
  ['webhookUrl', LOCAL, 'webhookUrl'],
  ['startImage', LOCAL, 'startImage'],
  ['input_video', LOCAL, 'input_video'],
  ['init_img', LOCAL, 'init_img'],
  ['api_base', LOCAL, 'api_base'],
  ['endpoint', LOCAL, 'endpoint'],
])('checks the URL in %s, recognised by the last word of the member’s name', (name, value, path) => {
  expect(checkedIn({ [name]: value })).toEqual([path]);
});

test.each(['prompt', 'content', 'text', 'source', 'profile', 'curl', 'title'])(
  'does not check a URL in %s, which is free text',
  (name) => {
    expect(checkedIn({ [name]: LOCAL })).toEqual([]);
  },
);

test('does not check the pages that a search found', () => {
  const call = { type: 'web_search_call', action: { url: LOCAL, sources: [{ type: 'url', url: LOCAL }] }, url: LOCAL };
  const citation = { type: 'url_citation', url: LOCAL, image_url: LOCAL };
  expect(checkedIn({ input: [call, { annotations: [citation] }, { type: 'other', action: { url: LOCAL } }] })).toEqual([
    'input[0].url',
    'input[1].annotations[0].image_url',
    'input[2].action.url',
  ]);
});
