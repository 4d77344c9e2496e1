/** Whether a host name or address means this machine: nothing that is sent there crosses a network. */
export function isLoopbackName(host: string): boolean {
  return /^(?:localhost|::1|127(?:\.\d{1,3}){3})$/i.test(host);
}
