import { listScreen } from '#client/resource/list.tsx';
import { creditPackages } from '#shared/resources/credit-packages.ts';
import { overrides } from './overrides.tsx';

const screen = listScreen(creditPackages, (api) => api.adminCreditPackages, overrides);
export const { loader, action } = screen;
export default screen.Screen;
