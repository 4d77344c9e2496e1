export { createConnectionRegistry, type ConnectionRegistry } from './connection-registry.ts';
export type { Connection, Connector, HostKind, KindOfHost, PanelAddress } from './ports.ts';
export { createPanels, type Panels } from './service.ts';
export { panelJobs, panelTasks } from './work.ts';
