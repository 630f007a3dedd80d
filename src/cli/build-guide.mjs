// Renders the pages of docs into dist/dashboard/guide, one JSON file each: title and body.
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import Markdown from 'react-markdown';
import remarkGfm from 'remark-gfm';

const BASE = '/docs/guide';
const INDEX = 'README.md';
/** Files outside docs that the server has under a path of its own. */
const served = { 'schema/openapi.json': '/openapi.json' };

/** @param root of the checkout @param output folder of the pages */
export async function buildGuide(root, output) {
  const docs = join(root, 'docs');
  const paths = (await readdir(docs, { recursive: true }))
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.md'));
  const index = await readFile(join(docs, INDEX), 'utf8');
  await Promise.all(
    paths.map(async (path) => {
      const text = await readFile(join(docs, path), 'utf8');
      const title = /^# (.+)$/m.exec(text)?.[1] ?? path;
      const file = join(output, `${nameOf(path)}.json`);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, JSON.stringify({ title, body: bodyOf(path, text, index, new Set(paths)) }));
    }),
  );
}

function nameOf(path) {
  return path === INDEX ? 'index' : path.replace(/\.md$/, '');
}

function urlOf(path) {
  return path === INDEX ? BASE : `${BASE}/${nameOf(path)}`;
}

function bodyOf(path, text, index, paths) {
  const main = render(path, text, paths);
  return `<div class="reference">${navigation(path, index)}<main class="guide">${main}</main></div>`;
}

/** The sections and pages of the table in docs/README.md. */
function navigation(current, index) {
  const sections = [...index.matchAll(/^\| (\w[^|]*) \| (\[.*) \|$/gm)].map(([, section, links]) => {
    const items = [...links.matchAll(/\[([^\]]+)\]\(([^)]+)\)/g)].map(([, title, path]) => {
      const mark = path === current ? ' aria-current="page"' : '';
      return `<li><a href="${urlOf(path)}"${mark}>${renderToStaticMarkup(title)}</a></li>`;
    });
    return `<strong>${renderToStaticMarkup(section)}</strong><ul>${items.join('')}</ul>`;
  });
  return `<nav aria-label="Documentation"><p><a href="/">Sluice</a></p><ul><li><a href="${BASE}">Documentation</a></li><li><a href="/docs">API reference</a></li></ul>${sections.join('')}</nav>`;
}

function render(path, text, paths) {
  const used = new Map();
  const heading = (Tag) =>
    function Heading({ node, children }) {
      return createElement(Tag, { id: slugOf(textOf(node), used) }, children);
    };
  const components = {
    h1: heading('h1'),
    h2: heading('h2'),
    h3: heading('h3'),
    h4: heading('h4'),
    a: ({ href = '', children }) => {
      const url = linkOf(path, href, paths);
      return url === null ? createElement('span', null, children) : createElement('a', { href: url }, children);
    },
    // A wide table scrolls by itself, so that the page does not.
    table: ({ children }) =>
      createElement('div', { className: 'wide', tabIndex: 0 }, createElement('table', null, children)),
    // Alignment is an inline style, which the content security policy forbids.
    th: ({ children }) => createElement('th', null, children),
    td: ({ children }) => createElement('td', null, children),
  };
  return renderToStaticMarkup(
    createElement(Markdown, { remarkPlugins: [remarkGfm], skipHtml: true, components }, text),
  );
}

/** Null if the target is a file that the server does not have. */
function linkOf(path, href, paths) {
  if (/^(https?:|mailto:|#)/.test(href)) return href;
  const [file, anchor] = href.split('#');
  const target = posix.normalize(posix.join(posix.dirname(path), file));
  if (paths.has(target)) return `${urlOf(target)}${anchor === undefined ? '' : `#${anchor}`}`;
  return served[target.replace(/^\.\.\//, '')] ?? null;
}

function textOf(node) {
  return node.type === 'text' ? node.value : (node.children ?? []).map(textOf).join('');
}

/** As GitHub makes anchors, so that the same links work on both. */
function slugOf(text, used) {
  const slug = text
    .toLowerCase()
    .replaceAll(/[^\p{Letter}\p{Number} _-]/gu, '')
    .replaceAll(' ', '-');
  const count = used.get(slug) ?? 0;
  used.set(slug, count + 1);
  return count === 0 ? slug : `${slug}-${count}`;
}
