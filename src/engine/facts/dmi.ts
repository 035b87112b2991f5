import { sh } from '../../shared/shell.ts';
import { table } from '../../shared/table.ts';
import { type PlainFacts, rows, type Sections } from './collector.ts';

/** Fact and file of each string of the firmware. */
const FILES: Readonly<Record<string, string>> = table({
  bios_date: 'bios_date',
  bios_vendor: 'bios_vendor',
  bios_version: 'bios_version',
  board_asset_tag: 'board_asset_tag',
  board_name: 'board_name',
  board_serial: 'board_serial',
  board_vendor: 'board_vendor',
  board_version: 'board_version',
  chassis_asset_tag: 'chassis_asset_tag',
  chassis_serial: 'chassis_serial',
  chassis_vendor: 'chassis_vendor',
  chassis_version: 'chassis_version',
  form_factor: 'chassis_type',
  product_name: 'product_name',
  product_serial: 'product_serial',
  product_uuid: 'product_uuid',
  product_version: 'product_version',
  system_vendor: 'sys_vendor',
});

/** Chassis types of the SMBIOS specification, by number. */
const CHASSIS_TYPES = [
  'Unknown',
  'Other',
  'Unknown',
  'Desktop',
  'Low Profile Desktop',
  'Pizza Box',
  'Mini Tower',
  'Tower',
  'Portable',
  'Laptop',
  'Notebook',
  'Hand Held',
  'Docking Station',
  'All In One',
  'Sub Notebook',
  'Space-saving',
  'Lunch Box',
  'Main Server Chassis',
  'Expansion Chassis',
  'Sub Chassis',
  'Bus Expansion Chassis',
  'Peripheral Chassis',
  'RAID Chassis',
  'Rack Mount Chassis',
  'Sealed-case PC',
  'Multi-system',
  'CompactPCI',
  'AdvancedTCA',
  'Blade',
  'Blade Enclosure',
  'Tablet',
  'Convertible',
  'Detachable',
  'IoT Gateway',
  'Embedded PC',
  'Mini PC',
  'Stick PC',
];

export const DMI_SCRIPT = sh`s dmi; v ${Object.values(FILES).map(pathOf)}`;

/** What the firmware says of the machine; `NA` where it says nothing or does not let the user read it. */
export function parseDmi(sections: Sections): PlainFacts {
  const files = rows(sections, 'dmi');
  return Object.fromEntries(
    Object.entries(FILES).map(([fact, file]) => {
      const text = files.get(pathOf(file)) ?? 'NA';
      return [fact, fact === 'form_factor' ? (CHASSIS_TYPES[Number(text)] ?? text) : text];
    }),
  );
}

function pathOf(file: string): string {
  return `/sys/devices/virtual/dmi/id/${file}`;
}
