import { drawings } from './icon-drawings.ts' with { type: 'macro' };
import { registerIcons } from './icons.ts';

// The debug panel opens on pages too that do without the icons of the signed-in product. Importing this module
// registers its own.
registerIcons(drawings({ pencil: 'pencil', play: 'play' }));
