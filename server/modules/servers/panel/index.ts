export {
  ACCOUNT_REFUSED,
  ADDRESS_REFUSED,
  KEY_REFUSED,
  NO_ACCOUNT,
  PORT_TAKEN,
  createPanelCaller,
  type CallPanel,
  reportedState,
  type PanelFailure,
} from './calls.ts';
export type { EmbeddedChange, EmbeddedPanelRepo, EmbeddedServer } from './embedded.ts';
export { PanelCallFailed } from './call-failed.ts';
export { createFixedRegistry, type PanelRegistry } from './registry.ts';
export { EMBEDDED_DRIFT, type DriftRow, type PanelAccount, type PanelLinksRepo } from './links.ts';
