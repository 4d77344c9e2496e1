import { listScreen } from '#client/resource/list.tsx';
import { j4rServers } from '#shared/resources/j4r-servers.ts';

const screen = listScreen(j4rServers, (api) => api.adminJ4rServers);
export const { loader, action } = screen;
export default screen.Screen;
