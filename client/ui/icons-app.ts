import { __iconData as activity } from 'lucide-react/icons/activity';
import { __iconData as archive } from 'lucide-react/icons/archive';
import { __iconData as badgeCheck } from 'lucide-react/icons/badge-check';
import { __iconData as ban } from 'lucide-react/icons/ban';
import { __iconData as bell } from 'lucide-react/icons/bell';
import { __iconData as boxes } from 'lucide-react/icons/boxes';
import { __iconData as bug } from 'lucide-react/icons/bug';
import { __iconData as calendar } from 'lucide-react/icons/calendar';
import { __iconData as columns3 } from 'lucide-react/icons/columns-3';
import { __iconData as cpu } from 'lucide-react/icons/cpu';
import { __iconData as creditCard } from 'lucide-react/icons/credit-card';
import { __iconData as crown } from 'lucide-react/icons/crown';
import { __iconData as database } from 'lucide-react/icons/database';
import { __iconData as download } from 'lucide-react/icons/download';
import { __iconData as egg } from 'lucide-react/icons/egg';
import { __iconData as externalLink } from 'lucide-react/icons/external-link';
import { __iconData as fileText } from 'lucide-react/icons/file-text';
import { __iconData as flag } from 'lucide-react/icons/flag';
import { __iconData as folder } from 'lucide-react/icons/folder';
import { __iconData as gamepad2 } from 'lucide-react/icons/gamepad-2';
import { __iconData as gift } from 'lucide-react/icons/gift';
import { __iconData as hardDrive } from 'lucide-react/icons/hard-drive';
import { __iconData as history } from 'lucide-react/icons/rotate-ccw-clock';
import { __iconData as hourglass } from 'lucide-react/icons/hourglass';
import { __iconData as house } from 'lucide-react/icons/house';
import { __iconData as idCard } from 'lucide-react/icons/id-card';
import { __iconData as image } from 'lucide-react/icons/image';
import { __iconData as layers } from 'lucide-react/icons/layers';
import { __iconData as layoutDashboard } from 'lucide-react/icons/layout-dashboard';
import { __iconData as link } from 'lucide-react/icons/link';
import { __iconData as list } from 'lucide-react/icons/list';
import { __iconData as listFilter } from 'lucide-react/icons/list-filter';
import { __iconData as mapPin } from 'lucide-react/icons/map-pin';
import { __iconData as megaphone } from 'lucide-react/icons/megaphone';
import { __iconData as memoryStick } from 'lucide-react/icons/memory-stick';
import { __iconData as messageSquareText } from 'lucide-react/icons/message-square-text';
import { __iconData as monitor } from 'lucide-react/icons/monitor';
import { __iconData as network } from 'lucide-react/icons/network';
import { __iconData as pause } from 'lucide-react/icons/pause';
import { __iconData as pencil } from 'lucide-react/icons/pencil';
import { __iconData as play } from 'lucide-react/icons/play';
import { __iconData as plug } from 'lucide-react/icons/plug';
import { __iconData as power } from 'lucide-react/icons/power';
import { __iconData as receiptText } from 'lucide-react/icons/receipt-text';
import { __iconData as rotateCcw } from 'lucide-react/icons/rotate-ccw';
import { __iconData as save } from 'lucide-react/icons/save';
import { __iconData as scrollText } from 'lucide-react/icons/scroll-text';
import { __iconData as send } from 'lucide-react/icons/send';
import { __iconData as settings } from 'lucide-react/icons/settings';
import { __iconData as shield } from 'lucide-react/icons/shield';
import { __iconData as slidersHorizontal } from 'lucide-react/icons/sliders-horizontal';
import { __iconData as smartphone } from 'lucide-react/icons/smartphone';
import { __iconData as sparkles } from 'lucide-react/icons/sparkles';
import { __iconData as square } from 'lucide-react/icons/square';
import { __iconData as store } from 'lucide-react/icons/store';
import { __iconData as ticket } from 'lucide-react/icons/ticket';
import { __iconData as timer } from 'lucide-react/icons/timer';
import { __iconData as trophy } from 'lucide-react/icons/trophy';
import { __iconData as undo2 } from 'lucide-react/icons/undo-2';
import { __iconData as upload } from 'lucide-react/icons/upload';
import { __iconData as userPlus } from 'lucide-react/icons/user-plus';
import { __iconData as users } from 'lucide-react/icons/users';
import { __iconData as wallet } from 'lucide-react/icons/wallet';
import { __iconData as wrench } from 'lucide-react/icons/wrench';
import { __iconData as zap } from 'lucide-react/icons/zap';
import { registerIcons } from './icons.ts';

/** Icons of the signed-in product. Importing this module registers them. */
export const APP_ICONS = {
  activity: activity,
  archive: archive,
  'badge-check': badgeCheck,
  ban: ban,
  bell: bell,
  boxes: boxes,
  bug: bug,
  calendar: calendar,
  chat: messageSquareText,
  columns: columns3,
  cpu: cpu,
  'credit-card': creditCard,
  crown: crown,
  database: database,
  disk: hardDrive,
  download: download,
  egg: egg,
  external: externalLink,
  file: fileText,
  filter: listFilter,
  flag: flag,
  folder: folder,
  gamepad: gamepad2,
  gift: gift,
  history: history,
  home: house,
  hourglass: hourglass,
  'id-card': idCard,
  image: image,
  layers: layers,
  link: link,
  list: list,
  log: scrollText,
  megaphone: megaphone,
  memory: memoryStick,
  monitor: monitor,
  network: network,
  overview: layoutDashboard,
  pause: pause,
  pencil: pencil,
  pin: mapPin,
  play: play,
  plug: plug,
  power: power,
  receipt: receiptText,
  reset: rotateCcw,
  save: save,
  send: send,
  settings: settings,
  shield: shield,
  sliders: slidersHorizontal,
  smartphone: smartphone,
  sparkles: sparkles,
  square: square,
  store: store,
  ticket: ticket,
  timer: timer,
  trophy: trophy,
  undo: undo2,
  upload: upload,
  'user-plus': userPlus,
  users: users,
  wallet: wallet,
  wrench: wrench,
  zap: zap,
} as const;

registerIcons(APP_ICONS);
