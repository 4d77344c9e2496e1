import { sql } from 'kysely';
import { departments } from '#shared/resources/departments.ts';
import { tableSql } from './map.ts';

export const departmentsSql = tableSql(departments, {
  derive: {},
  dependants: {
    tickets: (id) => sql`(select count(*) from tickets where tickets.department_id = ${id})`,
  },
});
