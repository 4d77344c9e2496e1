import { editScreen } from '#client/resource/form.tsx';
import { j4rServers } from '#shared/resources/j4r-servers.ts';

const screen = editScreen(j4rServers, (api) => api.adminJ4rServers);
export const { loader, action, pageName } = screen;
export default screen.Screen;
