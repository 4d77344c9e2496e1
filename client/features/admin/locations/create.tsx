import { createScreen } from '#client/resource/form.tsx';
import { locations } from '#shared/resources/locations.ts';

const screen = createScreen(locations, (api) => api.adminLocations);
export const { loader, action } = screen;
export default screen.Screen;
