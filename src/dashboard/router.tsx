import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { CrashedPage, MissingPage } from './shell/notices/missing-page.tsx';
import { alertsSearch } from './pages/alerts/search.ts';
import { analyticsSearch } from './pages/analytics/search.ts';
import { auditSearch } from './pages/audit/search.ts';
import { batchesSearch } from './pages/batches/search.ts';
import { datasetRunSearch } from './pages/datasets/runs/search.ts';
import { datasetSearch, datasetsSearch } from './pages/datasets/search.ts';
import { filesSearch } from './pages/files/search.ts';
import { keysSearch } from './pages/keys/search.ts';
import { comparatorSearch } from './pages/comparator/search.ts';
import { compareSearch, modelsSearch } from './pages/models/search.ts';
import { invoicesSearch } from './pages/invoices/search.ts';
import { overviewSearch } from './pages/overview/search.ts';
import { sessionSearch, sessionsSearch } from './pages/sessions/search.ts';
import { settingsSearch } from './pages/settings/search.ts';
import { signInPageSearch, signInSearch } from './pages/sign-in/search.ts';
import { teamSearch } from './pages/team/search.ts';
import { playgroundSearch } from './pages/playground/capabilities.ts';
import { performanceSearch } from './pages/performance/search.ts';
import { providersSearch } from './pages/providers/search.ts';
import { routesSearch } from './pages/routes/search.ts';
import { toolsSearch } from './pages/tools/search.ts';
import { usageLogsSearch } from './pages/usage-logs/search.ts';
import { webhooksSearch } from './pages/webhooks/search.ts';

const root = createRootRoute({ component: Outlet, notFoundComponent: MissingPage });
/** Pages that do not require a session. */
const publicRoute = { getParentRoute: () => root } as const;
const shell = createRoute({
  ...publicRoute,
  id: 'shell',
  component: lazyRouteComponent(() => import('./shell/shell.tsx'), 'Shell'),
});
/** Pages within the shell. */
const shellRoute = { getParentRoute: () => shell } as const;

const signIn = createRoute({
  ...publicRoute,
  path: '/sign-in',
  validateSearch: signInPageSearch,
  component: lazyRouteComponent(() => import('./pages/sign-in/sign-in-page.tsx'), 'SignInPage'),
});
const signUp = createRoute({
  ...publicRoute,
  path: '/sign-up',
  validateSearch: signInSearch,
  component: lazyRouteComponent(() => import('./pages/sign-in/sign-up-page.tsx'), 'SignUpPage'),
});
const forgotPassword = createRoute({
  ...publicRoute,
  path: '/forgot-password',
  component: lazyRouteComponent(() => import('./pages/sign-in/forgot-password-page.tsx'), 'ForgotPasswordPage'),
});
const resetPassword = createRoute({
  ...publicRoute,
  path: '/reset-password',
  component: lazyRouteComponent(() => import('./pages/sign-in/reset-password-page.tsx'), 'ResetPasswordPage'),
});
const verifyEmail = createRoute({
  ...publicRoute,
  path: '/verify-email',
  component: lazyRouteComponent(() => import('./pages/sign-in/verify-email-page.tsx'), 'VerifyEmailPage'),
});
const confirmSignUp = createRoute({
  ...publicRoute,
  path: '/confirm-sign-up',
  component: lazyRouteComponent(() => import('./pages/sign-in/confirm-sign-up-page.tsx'), 'ConfirmSignUpPage'),
});
const invitation = createRoute({
  ...publicRoute,
  path: '/invitation',
  component: lazyRouteComponent(() => import('./pages/invitation/invitation-page.tsx'), 'InvitationPage'),
});
const status = createRoute({
  ...publicRoute,
  path: '/status',
  component: lazyRouteComponent(() => import('./pages/status/status-page.tsx'), 'StatusPage'),
});
const overview = createRoute({
  ...shellRoute,
  path: '/',
  validateSearch: overviewSearch,
  component: lazyRouteComponent(() => import('./pages/overview/overview-page.tsx'), 'OverviewPage'),
});
const playground = createRoute({
  ...shellRoute,
  path: '/playground',
  validateSearch: playgroundSearch,
  component: lazyRouteComponent(() => import('./pages/playground/playground-page.tsx'), 'PlaygroundPage'),
});
const comparator = createRoute({
  ...shellRoute,
  path: '/compare',
  validateSearch: comparatorSearch,
  component: lazyRouteComponent(() => import('./pages/comparator/comparator-page.tsx'), 'ComparatorPage'),
});
const comparison = createRoute({
  ...shellRoute,
  path: '/compare/$id',
  component: lazyRouteComponent(() => import('./pages/comparator/comparison-page.tsx'), 'ComparisonPage'),
});
const sharedComparison = createRoute({
  ...publicRoute,
  path: '/shared/comparison',
  component: lazyRouteComponent(() => import('./pages/comparator/shared-page.tsx'), 'SharedComparisonPage'),
});
const keys = createRoute({
  ...shellRoute,
  path: '/keys',
  validateSearch: keysSearch,
  component: lazyRouteComponent(() => import('./pages/keys/keys-page.tsx'), 'KeysPage'),
});
const models = createRoute({
  ...shellRoute,
  path: '/models',
  validateSearch: modelsSearch,
  component: lazyRouteComponent(() => import('./pages/models/models-page.tsx'), 'ModelsPage'),
});
const compare = createRoute({
  ...shellRoute,
  path: '/models/compare',
  validateSearch: compareSearch,
  component: lazyRouteComponent(() => import('./pages/models/compare-page.tsx'), 'CompareModelsPage'),
});
const model = createRoute({
  ...shellRoute,
  path: '/models/$provider/$',
  validateSearch: performanceSearch,
  component: lazyRouteComponent(() => import('./pages/models/model-page.tsx'), 'ModelPage'),
});
const usageLogs = createRoute({
  ...shellRoute,
  path: '/billing/usage',
  validateSearch: usageLogsSearch,
  component: lazyRouteComponent(() => import('./pages/usage-logs/usage-logs-page.tsx'), 'UsageLogsPage'),
});
const analytics = createRoute({
  ...shellRoute,
  path: '/analytics',
  validateSearch: analyticsSearch,
  component: lazyRouteComponent(() => import('./pages/analytics/analytics-page.tsx'), 'AnalyticsPage'),
});
const plan = createRoute({
  ...shellRoute,
  path: '/billing/plan',
  component: lazyRouteComponent(() => import('./pages/plan/plan-page.tsx'), 'PlanPage'),
});
const invoices = createRoute({
  ...shellRoute,
  path: '/billing/invoices',
  validateSearch: invoicesSearch,
  component: lazyRouteComponent(() => import('./pages/invoices/invoices-page.tsx'), 'InvoicesPage'),
});
const batches = createRoute({
  ...shellRoute,
  path: '/batches',
  validateSearch: batchesSearch,
  component: lazyRouteComponent(() => import('./pages/batches/batches-page.tsx'), 'BatchesPage'),
});
const files = createRoute({
  ...shellRoute,
  path: '/files',
  validateSearch: filesSearch,
  component: lazyRouteComponent(() => import('./pages/files/files-page.tsx'), 'FilesPage'),
});
const datasets = createRoute({
  ...shellRoute,
  path: '/datasets',
  validateSearch: datasetsSearch,
  component: lazyRouteComponent(() => import('./pages/datasets/datasets-page.tsx'), 'DatasetsPage'),
});
const dataset = createRoute({
  ...shellRoute,
  path: '/datasets/$id',
  validateSearch: datasetSearch,
  component: lazyRouteComponent(() => import('./pages/datasets/dataset-page.tsx'), 'DatasetPage'),
});
const datasetRuns = createRoute({
  ...shellRoute,
  path: '/datasets/runs',
  component: lazyRouteComponent(() => import('./pages/datasets/runs/runs-page.tsx'), 'DatasetRunsPage'),
});
const datasetRun = createRoute({
  ...shellRoute,
  path: '/datasets/runs/$runId',
  validateSearch: datasetRunSearch,
  component: lazyRouteComponent(() => import('./pages/datasets/runs/run-page.tsx'), 'DatasetRunPage'),
});
/** The path of runs in links of earlier versions. */
const runOfDataset = createRoute({
  ...shellRoute,
  path: '/datasets/$id/runs/$runId',
  validateSearch: datasetRunSearch,
  beforeLoad: ({ params: { runId }, search }) => {
    // The router catches it.
    // oxlint-disable-next-line typescript/only-throw-error
    throw redirect({ to: '/datasets/runs/$runId', params: { runId }, search, replace: true });
  },
});
const sessions = createRoute({
  ...shellRoute,
  path: '/sessions',
  validateSearch: sessionsSearch,
  component: lazyRouteComponent(() => import('./pages/sessions/sessions-page.tsx'), 'SessionsPage'),
});
/** The ID is a parameter: any text can be one, also `..`. */
const session = createRoute({
  ...shellRoute,
  path: '/sessions/session',
  validateSearch: sessionSearch,
  component: lazyRouteComponent(() => import('./pages/sessions/session-page.tsx'), 'SessionPage'),
});
const tools = createRoute({
  ...shellRoute,
  path: '/tools',
  validateSearch: toolsSearch,
  component: lazyRouteComponent(() => import('./pages/tools/tools-page.tsx'), 'ToolsPage'),
});
const routes = createRoute({
  ...shellRoute,
  path: '/routes',
  validateSearch: routesSearch,
  component: lazyRouteComponent(() => import('./pages/routes/routes-page.tsx'), 'RoutesPage'),
});
const providers = createRoute({
  ...shellRoute,
  path: '/providers',
  validateSearch: providersSearch,
  component: lazyRouteComponent(() => import('./pages/providers/providers-page.tsx'), 'ProvidersPage'),
});
const provider = createRoute({
  ...shellRoute,
  path: '/providers/$provider',
  validateSearch: performanceSearch,
  component: lazyRouteComponent(() => import('./pages/provider/provider-page.tsx'), 'ProviderPage'),
});
/** Not `/webhooks`: that path receives the calls of payment services. */
const webhooks = createRoute({
  ...shellRoute,
  path: '/hooks',
  validateSearch: webhooksSearch,
  component: lazyRouteComponent(() => import('./pages/webhooks/webhooks-page.tsx'), 'WebhooksPage'),
});

const settings = createRoute({
  ...shellRoute,
  path: '/settings',
  validateSearch: settingsSearch,
  component: lazyRouteComponent(() => import('./pages/settings/settings-page.tsx'), 'SettingsPage'),
});

const team = createRoute({
  ...shellRoute,
  path: '/team',
  validateSearch: teamSearch,
  component: lazyRouteComponent(() => import('./pages/team/team-page.tsx'), 'TeamPage'),
});
const alerts = createRoute({
  ...shellRoute,
  path: '/alerts',
  validateSearch: alertsSearch,
  component: lazyRouteComponent(() => import('./pages/alerts/alerts-page.tsx'), 'AlertsPage'),
});
const audit = createRoute({
  ...shellRoute,
  path: '/audit',
  validateSearch: auditSearch,
  component: lazyRouteComponent(() => import('./pages/audit/audit-page.tsx'), 'AuditPage'),
});

export const router = createRouter({
  routeTree: root.addChildren([
    signIn,
    signUp,
    forgotPassword,
    resetPassword,
    verifyEmail,
    confirmSignUp,
    invitation,
    sharedComparison,
    status,
    shell.addChildren([
      overview,
      playground,
      comparator,
      comparison,
      keys,
      models,
      compare,
      model,
      batches,
      files,
      datasets,
      dataset,
      datasetRuns,
      datasetRun,
      runOfDataset,
      sessions,
      session,
      analytics,
      usageLogs,
      invoices,
      plan,
      tools,
      routes,
      providers,
      provider,
      webhooks,
      alerts,
      team,
      audit,
      settings,
    ]),
  ]),
  defaultPreload: 'intent',
  defaultErrorComponent: CrashedPage,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
