import type { AlertChannelKind, AlertKind, AlertTransition } from '../../database/entities/index.ts';

/** A notification as it is sent. */
export interface Notification {
  readonly id: string;
  readonly channel: { readonly id: string; readonly kind: AlertChannelKind; readonly sealedTarget: Buffer | null };
  readonly recipient: string;
  readonly accountId: string;
  readonly accountName: string;
  readonly event: {
    readonly id: string;
    readonly incidentId: string;
    readonly ruleId: string | null;
    readonly ruleName: string;
    readonly kind: AlertKind;
    readonly transition: AlertTransition;
    readonly subject: string;
    readonly label: string;
    readonly value: number | null;
    readonly threshold: number | null;
    readonly summary: string;
    readonly path: string;
    readonly createdAt: Date;
  };
}
