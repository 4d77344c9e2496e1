import { createScreen } from '#client/resource/form.tsx';
import { j4rServers } from '#shared/resources/j4r-servers.ts';

const screen = createScreen(j4rServers, (api) => api.adminJ4rServers);
export const { loader, action } = screen;
export default screen.Screen;
