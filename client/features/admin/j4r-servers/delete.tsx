import { deleteScreen } from '#client/resource/delete.tsx';
import { j4rServers } from '#shared/resources/j4r-servers.ts';

const screen = deleteScreen(j4rServers, (api) => api.adminJ4rServers);
export const { loader, action, pageName } = screen;
export default screen.Screen;
