import type { Clock } from '../../kernel.ts';
import type { Notifications } from '../core/index.ts';
import type { PanelRegistry } from '../panel/index.ts';

/** What outages need. */
export interface OutagesDeps {
  readonly clock: Clock;
  readonly random: () => number;
  readonly panels: PanelRegistry;
  readonly notifications: Notifications;
}
