import { createScreen } from '#client/resource/form.tsx';
import { locations } from '#shared/resources/locations.ts';
import { overrides } from './overrides.tsx';

const screen = createScreen(locations, (api) => api.adminLocations, overrides);
export const { loader, action } = screen;
export default screen.Screen;
