export { NOTICES, beginOutage, endOutages, notifyStaff, outageOf, takeTries, type Wait, waitOf } from './outages.ts';
