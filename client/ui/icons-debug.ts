import { __iconData as pencil } from 'lucide-react/icons/pencil';
import { __iconData as play } from 'lucide-react/icons/play';
import { registerIcons } from './icons.ts';

// The debug panel opens on pages too that do without the icons of the signed-in product. Importing this module registers its own.
registerIcons({ pencil, play });
