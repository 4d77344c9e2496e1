export {
  ACCOUNT_REFUSED,
  ADDRESS_REFUSED,
  KEY_REFUSED,
  NO_ACCOUNT,
  PORT_TAKEN,
  callPanel as ask,
  reportedState as stateOf,
  type PanelFailure as NoAnswer,
} from './calls.ts';
export type { EmbeddedChange, EmbeddedPanelRepo, EmbeddedServer } from './embedded.ts';
export { PanelCallFailed } from './call-failed.ts';
export { createFixedRegistry as fixedRegistry, type PanelRegistry } from './registry.ts';
export { EMBEDDED_DRIFT, type DriftRow, type PanelAccount, type PanelLinksRepo } from './links.ts';
