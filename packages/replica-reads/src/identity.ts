/** In SQL: of which database a connection sees what, as whom. */
export const IDENTITY = `
      concat_ws(' ', (SELECT system_identifier FROM pg_control_system()), current_database(),
        coalesce(current_schema(), '-'), current_user)`;
