import { memo, useDeferredValue, type ReactNode } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { codeBlockClass } from './code.tsx';

const plugins = [remarkGfm];

/**
 * Renders Markdown of a model. HTML is shown as text and images as links, so that displaying a response sends no request to
 * another host.
 */
export function Markdown({ text }: { readonly text: string }): ReactNode {
  // Input has priority over streaming updates.
  return <RenderedMarkdown text={useDeferredValue(text)} />;
}

const RenderedMarkdown = memo(function RenderedMarkdown({ text }: { readonly text: string }) {
  return (
    <div className="flex min-w-0 flex-col gap-1 break-words">
      <ReactMarkdown remarkPlugins={plugins} components={components}>
        {text}
      </ReactMarkdown>
    </div>
  );
});

/** Not a heading element: the page's heading structure is separate. */
function Heading({ children }: { readonly children?: ReactNode }): ReactNode {
  return <p className="pt-0.5 font-strong">{children}</p>;
}

function ExternalLink({ to, children }: { readonly to: string | undefined; readonly children?: ReactNode }): ReactNode {
  return (
    <a
      href={to}
      target="_blank"
      rel="noopener noreferrer nofollow"
      className="text-accent underline underline-offset-2"
    >
      {children}
    </a>
  );
}

const cellClass = 'border-b border-line px-1 py-0.5 text-left align-top';

const components: Components = {
  h1: Heading,
  h2: Heading,
  h3: Heading,
  h4: Heading,
  h5: Heading,
  h6: Heading,
  a: ({ href, children }) => <ExternalLink to={href}>{children}</ExternalLink>,
  img: ({ src, alt }) => <ExternalLink to={src}>{alt === undefined || alt === '' ? 'Image' : alt}</ExternalLink>,
  input: ({ checked }) => (checked ? '☑ ' : '☐ '),
  ul: ({ children }) => <ul className="flex list-disc flex-col gap-0.5 pl-3">{children}</ul>,
  ol: ({ start, children }) => (
    <ol start={start} className="flex list-decimal flex-col gap-0.5 pl-3">
      {children}
    </ol>
  ),
  blockquote: ({ children }) => (
    <blockquote className="flex flex-col gap-1 border-l-2 border-line pl-1.5 text-soft">{children}</blockquote>
  ),
  hr: () => <hr className="border-line" />,
  pre: ({ children }) => (
    // Focusable, so that a keyboard can scroll it.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <pre tabIndex={0} aria-label="Code" role="region" className={codeBlockClass}>
      {children}
    </pre>
  ),
  code: ({ children }) => <code className="font-mono text-small">{children}</code>,
  table: ({ children }) => (
    // Focusable, so that a keyboard can scroll it.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div tabIndex={0} aria-label="Table" role="region" className="overflow-x-auto">
      <table className="border-collapse">{children}</table>
    </div>
  ),
  th: ({ children }) => (
    <th scope="col" className={`${cellClass} font-strong`}>
      {children}
    </th>
  ),
  td: ({ children }) => <td className={cellClass}>{children}</td>,
};
