import { deleteScreen } from '#client/resource/delete.tsx';
import { locations } from '#shared/resources/locations.ts';

const screen = deleteScreen(locations, (api) => api.adminLocations);
export const { loader, action, pageName } = screen;
export default screen.Screen;
