/** An address of the web without credentials in it. */
function isAddress(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && ['http:', 'https:'].includes(url.protocol) && url.username === '' && url.password === '';
}

/** Scheme, host, port and path, without a slash at the end. */
function isBase(text: string): boolean {
  return isAddress(text) && !/[?#\s]|\/$/.test(text);
}

/** Host names apart by blanks. */
function isHostList(text: string): boolean {
  return text
    .split(' ')
    .filter(Boolean)
    .every((host) => /^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/.test(host));
}

/** An address with `{…}` in it, of which `needed` must be one; or nothing. */
function isTemplate(needed: string): (text: string) => boolean {
  return (text) => text === '' || (text.includes(needed) && isAddress(text.replaceAll(/\{\w+\}/g, 'x')));
}

/** What the texts of the link providers' settings must be (behaviour 4.5). */
export const LINK_RULES = {
  link_linkvertise_user: (text: string) => /^\d*$/.test(text),
  link_linkvertise_host: isBase,
  link_linkvertise_api: isBase,
  link_shareus_api: isBase,
  link_shareus_hosts: isHostList,
  link_linkpays_api: isBase,
  link_linkpays_hosts: isHostList,
  link_gyanilinks_api: isBase,
  link_gyanilinks_hosts: isHostList,
  link_generic_start: isTemplate('{url}'),
  link_generic_check: isTemplate('{token}'),
  link_generic_placeholder: (text: string) => /^[\w{}[\]$%-]*$/.test(text),
  link_generic_conditions: (text: string) =>
    text.split('\n').every((row) => row.trim() === '' || /^[\w.]+ *= *\S/.test(row.trim())),
};
