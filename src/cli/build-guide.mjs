// Renders the pages of docs into dist/dashboard/guide, one JSON file each: title and body.
import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import graphql from 'highlight.js/lib/languages/graphql';
import ini from 'highlight.js/lib/languages/ini';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import python from 'highlight.js/lib/languages/python';
import typescript from 'highlight.js/lib/languages/typescript';
import yaml from 'highlight.js/lib/languages/yaml';
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
/** Texts of more characters are prose. On a phone, tables of prose show a row as a list. */
const MAX_LABEL_LENGTH = 24;

const languages = { bash, graphql, ini, javascript, json, python, typescript, yaml };
for (const [name, language] of Object.entries(languages)) hljs.registerLanguage(name, language);

/** @param root of the checkout @param output folder of the pages */
export async function buildGuide(root, output) {
  const docs = join(root, 'docs');
  const paths = (await readdir(docs, { recursive: true }))
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.md'));
  const index = sectionsOf(await readFile(join(docs, INDEX), 'utf8'));
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

/** The sections and pages of the table in docs/README.md. */
function sectionsOf(index) {
  return [...index.matchAll(/^\| (\w[^|]*) \| (\[.*) \|$/gm)].map(([, title, links]) => ({
    title,
    pages: [...links.matchAll(/\[([^\]]+)\]\(([^)]+)\)/g)].map(([, name, path]) => ({ name, path })),
  }));
}

function bodyOf(path, text, index, paths) {
  const { html, headings } = render(path, text, paths);
  const bar = '<header class="bar"><a href="/">Sluice</a><a href="#navigation">All pages</a></header>';
  const main = `<main class="guide">${html}${neighbours(path, index)}</main>`;
  return `${bar}<div class="reference">${navigation(path, index, headings)}${main}</div>`;
}

function navigation(current, index, headings) {
  const sections = index.map(({ title, pages }) => {
    const items = pages.map(({ name, path }) => {
      const isCurrent = path === current;
      const mark = isCurrent ? ' aria-current="page"' : '';
      return `<li><a href="${urlOf(path)}"${mark}>${escapeText(name)}</a>${isCurrent ? outline(headings) : ''}</li>`;
    });
    return `<strong>${escapeText(title)}</strong><ul>${items.join('')}</ul>`;
  });
  const mark = current === INDEX ? ' aria-current="page"' : '';
  return `<nav id="navigation" aria-label="Guide"><p><a href="/">Sluice</a></p><ul><li><a href="${BASE}"${mark}>Guide</a></li><li><a href="/docs">API reference</a></li></ul>${sections.join('')}</nav>`;
}

/** The second-level headings of the current page. */
function outline(headings) {
  const items = headings.map(({ id, text }) => `<li><a href="#${id}">${escapeText(text)}</a></li>`);
  return items.length === 0 ? '' : `<ul>${items.join('')}</ul>`;
}

/** Links to the previous and the next page. The index is before the first. */
function neighbours(current, index) {
  const pages = index.flatMap((section) => section.pages);
  const at = pages.findIndex(({ path }) => path === current);
  const link = (page, rel, word) =>
    page === undefined ? '' : `<a rel="${rel}" href="${urlOf(page.path)}">${word}: ${escapeText(page.name)}</a>`;
  return `<footer>${link(pages[at - 1], 'prev', 'Previous')}${link(pages[at + 1], 'next', 'Next')}</footer>`;
}

function escapeText(text) {
  return renderToStaticMarkup(text);
}

function render(path, text, paths) {
  const used = new Map();
  const headings = [];
  const heading = (Tag) =>
    function Heading({ node, children }) {
      const id = slugOf(textOf(node), used);
      if (Tag === 'h2') headings.push({ id, text: textOf(node) });
      return createElement(Tag, { id }, children);
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
    pre: CodeBlock,
    table: Table,
    // Alignment is an inline style, which the content security policy forbids.
    th: ({ children }) => createElement('th', null, children),
    td: ({ node, children }) => createElement('td', { 'data-label': node.properties.dataLabel }, children),
  };
  const html = renderToStaticMarkup(
    createElement(
      Markdown,
      { remarkPlugins: [remarkGfm], rehypePlugins: [labelCells], skipHtml: true, components },
      text,
    ),
  );
  return { html, headings };
}

/** Highlighted by classes: the content security policy forbids inline styles. */
function CodeBlock({ node }) {
  const [code] = node.children;
  const text = textOf(code);
  const language = /^language-(.+)$/.exec(code.properties.className?.[0] ?? '')?.[1];
  const content = hljs.getLanguage(language ?? '')
    ? { className: 'hljs', dangerouslySetInnerHTML: { __html: hljs.highlight(text, { language }).value } }
    : { children: text };
  return createElement('pre', { tabIndex: 0 }, createElement('code', content));
}

/** A wide table scrolls by itself, so that the page does not. */
function Table({ node, children }) {
  const isProse = elementsOf(node, 'td').some((cell) => textOf(cell).length > MAX_LABEL_LENGTH);
  return createElement(
    'div',
    { className: isProse ? 'wide prose' : 'wide', tabIndex: 0 },
    createElement('table', null, children),
  );
}

/** Labels cells with their column, for rows that are shown as a list: all but the name and the column with the most text. */
function labelCells() {
  return (tree) => {
    for (const table of elementsOf(tree, 'table')) {
      const rows = elementsOf(table, 'tr').map((row) => elementsOf(row, 'td'));
      const columns = elementsOf(table, 'th').map((head, index) => {
        const cells = rows.flatMap((row) => row[index] ?? []);
        return { title: textOf(head), cells, length: cells.map(textOf).join('').length };
      });
      const longest = Math.max(...columns.slice(1).map(({ length }) => length));
      for (const { title, cells, length } of columns.slice(1))
        if (length < longest) for (const cell of cells) if (textOf(cell) !== '') cell.properties.dataLabel = title;
    }
  };
}

function elementsOf(node, name) {
  return (node.children ?? []).flatMap((each) => (each.tagName === name ? [each] : elementsOf(each, name)));
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
