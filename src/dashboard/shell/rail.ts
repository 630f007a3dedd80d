import type { LinkProps } from '@tanstack/react-router';
import {
  Activity,
  Boxes,
  Columns3,
  CreditCard,
  History,
  KeyRound,
  Plug,
  Receipt,
  Route,
  ScrollText,
  Settings,
  Terminal,
  Users,
  Webhook,
  type LucideIcon,
} from 'lucide-react';

export interface RailEntry {
  readonly title: string;
  readonly to: NonNullable<LinkProps['to']>;
  readonly icon: LucideIcon;
  /** A heading above it, for the first of several. */
  readonly group?: string;
}

/**
 * The rail and the command palette, in their order: Overview, Playground, Compare, Models, API Keys, Billing (Usage Logs,
 * Invoices, Plan), Routes, Providers, Webhooks, Team, Audit, Settings. Each stands here from the day its page does.
 */
export const rail: readonly RailEntry[] = [
  { title: 'Overview', to: '/', icon: Activity },
  { title: 'Playground', to: '/playground', icon: Terminal },
  { title: 'Compare', to: '/compare', icon: Columns3 },
  { title: 'Models', to: '/models', icon: Boxes },
  { title: 'API Keys', to: '/keys', icon: KeyRound },
  { title: 'Usage Logs', to: '/billing/usage', icon: ScrollText, group: 'Billing' },
  { title: 'Invoices', to: '/billing/invoices', icon: Receipt },
  { title: 'Plan', to: '/billing/plan', icon: CreditCard },
  { title: 'Routes', to: '/routes', icon: Route, group: 'Setup' },
  { title: 'Providers', to: '/providers', icon: Plug },
  { title: 'Webhooks', to: '/hooks', icon: Webhook },
  { title: 'Team', to: '/team', icon: Users, group: 'Account' },
  { title: 'Audit', to: '/audit', icon: History },
  { title: 'Settings', to: '/settings', icon: Settings },
];
