import type { LinkProps } from '@tanstack/react-router';
import {
  Activity,
  BellRing,
  Boxes,
  ChartColumn,
  Columns3,
  CreditCard,
  Database,
  FileText,
  History,
  KeyRound,
  Layers,
  ListTree,
  Plug,
  Receipt,
  Route,
  ScrollText,
  Settings,
  Terminal,
  Unplug,
  Users,
  Webhook,
  type LucideIcon,
} from 'lucide-react';

export interface NavigationEntry {
  readonly title: string;
  readonly to: NonNullable<LinkProps['to']>;
  readonly icon: LucideIcon;
  /** Heading of a group, on its first entry. */
  readonly group?: string;
}

/**
 * Entries of the navigation and the command palette, in order: Overview, Analytics, Playground, Compare, Models, API Keys, Batches, Files,
 * Datasets, Sessions, Billing (Usage Logs, Invoices, Plan), Setup (Tools, Routes, Providers, Webhooks, Alerts), Account (Team, Audit, Settings).
 */
export const navigationEntries: readonly NavigationEntry[] = [
  { title: 'Overview', to: '/', icon: Activity },
  { title: 'Analytics', to: '/analytics', icon: ChartColumn },
  { title: 'Playground', to: '/playground', icon: Terminal },
  { title: 'Compare', to: '/compare', icon: Columns3 },
  { title: 'Models', to: '/models', icon: Boxes },
  { title: 'API Keys', to: '/keys', icon: KeyRound },
  { title: 'Batches', to: '/batches', icon: Layers },
  { title: 'Files', to: '/files', icon: FileText },
  { title: 'Datasets', to: '/datasets', icon: Database },
  { title: 'Sessions', to: '/sessions', icon: ListTree },
  { title: 'Usage Logs', to: '/billing/usage', icon: ScrollText, group: 'Billing' },
  { title: 'Invoices', to: '/billing/invoices', icon: Receipt },
  { title: 'Plan', to: '/billing/plan', icon: CreditCard },
  { title: 'Tools', to: '/tools', icon: Unplug, group: 'Setup' },
  { title: 'Routes', to: '/routes', icon: Route },
  { title: 'Providers', to: '/providers', icon: Plug },
  { title: 'Webhooks', to: '/hooks', icon: Webhook },
  { title: 'Alerts', to: '/alerts', icon: BellRing },
  { title: 'Team', to: '/team', icon: Users, group: 'Account' },
  { title: 'Audit', to: '/audit', icon: History },
  { title: 'Settings', to: '/settings', icon: Settings },
];
