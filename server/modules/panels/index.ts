export { createConnections, type Connections } from './connections.ts';
export { PANEL_JOBS, type PanelsDeps } from './deps.ts';
export type { Connection, Connector, HostKind, KindOfHost, PanelAddress, PanelsRepo } from './ports.ts';
export { createPanels, type Panels } from './service.ts';
export { panelJobs, panelTasks } from './work.ts';
