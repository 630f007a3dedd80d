/** Whether this process can serve. Cheap: it is asked every few seconds by whoever balances the load. */
export interface Readiness {
  check(): ReadinessReport;
}

export interface ReadinessReport {
  readonly ready: boolean;
  /** By part, `ok` or what is wrong with it, without internals: anyone may read it. */
  readonly checks: Readonly<Record<string, string>>;
}
