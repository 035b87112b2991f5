import { joinCommands, sh } from '../../shared/shell.ts';
import { type Collector, section } from './collector.ts';
import { DEVICES_SCRIPT, parseDevices } from './devices.ts';
import { DMI_SCRIPT, parseDmi } from './dmi.ts';
import { LVM_SCRIPT, parseLvm } from './lvm.ts';
import { parseMemory } from './memory.ts';
import { MOUNTS_SCRIPT, parseMounts } from './mounts.ts';
import { parseProcessors } from './processor.ts';

/** Processors, memory, firmware, disks, mounts and uptime. */
export const hardware: Collector = {
  name: 'hardware',
  ids: ['devices', 'mounts', 'processor', 'processor_cores', 'processor_count'],
  needs: ['platform'],
  script: joinCommands(
    [
      sh`f cpuinfo /proc/cpuinfo; s nproc; nproc; f meminfo /proc/meminfo; f uptime /proc/uptime`,
      DMI_SCRIPT,
      DEVICES_SCRIPT,
      MOUNTS_SCRIPT,
      LVM_SCRIPT,
    ],
    '\n',
  ),

  parse(sections, facts) {
    const machine = String(facts.get('machine'));
    const [seconds] = section(sections, 'uptime').split('.');
    return {
      ...parseProcessors(section(sections, 'cpuinfo'), section(sections, 'nproc'), machine),
      ...parseMemory(section(sections, 'meminfo')),
      ...parseDmi(sections),
      ...parseDevices(sections),
      ...(seconds && { uptime_seconds: Number(seconds) }),
      lvm: parseLvm(sections),
      mounts: parseMounts(sections),
    };
  },
};
