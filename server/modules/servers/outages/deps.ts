import type { Events } from '../../events/index.ts';
import type { Clock } from '../../kernel.ts';
import type { PanelRegistry } from '../panel/index.ts';

/** What outages need. */
export interface OutagesDeps {
  readonly clock: Clock;
  readonly random: () => number;
  readonly panels: PanelRegistry;
  readonly events: Pick<Events, 'emit'>;
}
