export { createConnectionRegistry, type ConnectionRegistry } from './connection-registry.ts';
export type { EggFileSummary } from './egg-file.ts';
export type { CatalogueDetails, PanelDetails } from './details.ts';
export type { CheckedPanel, Connection, Connector, HostKind, KindOfHost, PanelAddress } from './ports.ts';
export { createPanels, type Panels } from './service.ts';
export { panelJobs, panelTasks } from './work.ts';
