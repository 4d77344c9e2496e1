import { listScreen } from '#client/resource/list.tsx';
import { locations } from '#shared/resources/locations.ts';

const screen = listScreen(locations, (api) => api.adminLocations);
export const { loader, action } = screen;
export default screen.Screen;
