import { createScreen } from '#client/resource/form.tsx';
import { eggCategories } from '#shared/resources/egg-categories.ts';

const screen = createScreen(eggCategories, (api) => api.adminEggCategories);
export const { loader, action } = screen;
export default screen.Screen;
