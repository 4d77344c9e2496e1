export {
  ACCOUNT_REFUSED,
  ADDRESS_REFUSED,
  KEY_REFUSED,
  NO_ACCOUNT,
  PORT_TAKEN,
  ask,
  stateOf,
  type NoAnswer,
} from './calls.ts';
export type { EmbeddedChange, EmbeddedPanelRepo, EmbeddedServer } from './embedded.ts';
export { PanelLater } from './later.ts';
export { fixedRegistry, type PanelRegistry } from './registry.ts';
export { EMBEDDED_DRIFT, type DriftRow, type PanelAccount, type PanelLinksRepo } from './links.ts';
