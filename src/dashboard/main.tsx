import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import './design/tokens.css';
import { ToastProvider } from './design/toast.tsx';
import { router } from './router.tsx';
import { SessionProvider } from './shell/session.tsx';

declare global {
  /** The nonce for style sheets of components, which the page's Content-Security-Policy requires. */
  var __webpack_nonce__: string | undefined;
}

globalThis.__webpack_nonce__ = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce;

const root = document.querySelector('#root');
if (root)
  createRoot(root).render(
    <StrictMode>
      <SessionProvider>
        <ToastProvider>
          <RouterProvider router={router} />
        </ToastProvider>
      </SessionProvider>
    </StrictMode>,
  );
