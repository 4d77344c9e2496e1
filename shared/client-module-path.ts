/** Where browsers load the client module of a package from; its version, so that they may keep it. */
export function clientModulePath(identifier: string, version: string): string {
  return `/api/system/plugins/${identifier}/client.js?v=${version}`;
}

/** The identifier of the package whose client module stands at an address; null where it is a file of the host's. */
export function packageOfModulePath(path: string): string | null {
  return /^\/api\/system\/plugins\/([^/]+)\/client\.js(?:\?|$)/.exec(path)?.[1] ?? null;
}
