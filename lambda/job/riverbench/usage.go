package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// usage is what was used up to a moment.
type usage struct {
	server time.Duration // CPU of all processes of the server, in steps of 10 ms
	own    time.Duration // CPU of this process
	wal    int64         // bytes
}

const usageSQL = `SELECT pg_backend_pid(), (pg_current_wal_insert_lsn() - '0/0')::bigint`

func readUsage(ctx context.Context, pool *pgxpool.Pool) (u usage, err error) {
	var pid int
	if err := pool.QueryRow(ctx, usageSQL).Scan(&pid, &u.wal); err != nil {
		return u, err
	}
	self, err := stat(strconv.Itoa(pid))
	if err != nil {
		return u, fmt.Errorf("the server's processes cannot be seen: %w", err)
	}
	for ended := ""; ; { // again if a process ended meanwhile
		before := ended
		if u.server, ended, err = serverCPU(self[1]); err != nil || ended == before {
			break
		}
	}
	if err != nil {
		return u, err
	}
	var r syscall.Rusage
	err = syscall.Getrusage(syscall.RUSAGE_SELF, &r)
	u.own = time.Duration(r.Utime.Nano() + r.Stime.Nano())
	return u, err
}

// serverCPU returns the CPU of the postmaster and its processes, and that of the
// ones that ended, as the system writes it.
func serverCPU(postmaster string) (d time.Duration, ended string, err error) {
	folders, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return 0, "", err
	}
	for _, folder := range folders {
		if s, err := stat(filepath.Base(folder)); err == nil && s[1] == postmaster {
			d += cpu(s, 11, 12)
		}
	}
	s, err := stat(postmaster)
	if err != nil {
		return 0, "", err
	}
	return d + cpu(s, 11, 12, 13, 14), s[13] + " " + s[14], nil
}

// stat returns the fields of a process after its name: state, parent, ...
func stat(pid string) ([]string, error) {
	raw, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		return nil, err
	}
	text := string(raw)
	return strings.Fields(text[strings.LastIndex(text, ")")+1:]), nil
}

func cpu(fields []string, places ...int) (d time.Duration) {
	for _, p := range places {
		ticks, _ := strconv.ParseInt(fields[p], 10, 64)
		d += time.Duration(ticks) * 10 * time.Millisecond
	}
	return d
}
