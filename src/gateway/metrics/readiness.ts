/** Whether this process can serve. Cheap: load balancers call it every few seconds. */
export interface Readiness {
  check(): ReadinessReport;
}

export interface ReadinessReport {
  readonly ready: boolean;
  /** `ok` or the problem of each part, without internals: anyone may read it. */
  readonly checks: Readonly<Record<string, string>>;
}
