import { drawings } from './icon-drawings.ts' with { type: 'macro' };
import { registerIcons } from './icons.ts';

// The debug panel also opens on pages without the icons of the signed-in product. Importing this module registers the
// icons it needs.
registerIcons(drawings({ pencil: 'pencil', play: 'play' }));
