import { editScreen } from '#client/resource/form.tsx';
import { locations } from '#shared/resources/locations.ts';
import { overrides } from './overrides.tsx';

const screen = editScreen(locations, (api) => api.adminLocations, overrides);
export const { loader, action, pageName } = screen;
export default screen.Screen;
