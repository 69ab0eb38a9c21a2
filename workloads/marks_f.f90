! The event loop of marks_c in Fortran.
!
!   marks_f [events=100]
!
! Truth: as marks_c.
module marks_work
    use, intrinsic :: iso_fortran_env, only: int8, int64
    implicit none

    type :: tally
        integer(int64) :: calls = 0, total = 0, frees = 0, freed = 0
    end type

    type(tally) :: leaked, churned

    ! Where the optimiser must assume that somebody looks at the blocks.
    integer(int8), pointer, volatile :: block(:)

contains

    subroutine leak_here() bind(C, name="leak_here")
        allocate (block(1000))
        leaked%calls = leaked%calls + 1
        leaked%total = leaked%total + 1000
    end subroutine

    subroutine churn_here() bind(C, name="churn_here")
        integer :: i
        do i = 1, 10
            allocate (block(64))
            churned%calls = churned%calls + 1
            churned%total = churned%total + 64
            deallocate (block)
            churned%frees = churned%frees + 1
            churned%freed = churned%freed + 64
        end do
    end subroutine

    subroutine truth(key, value)
        character(len=*), intent(in) :: key
        integer(int64), intent(in) :: value
        print "(a, a, a, i0)", "truth ", key, " ", value
    end subroutine

    subroutine truth_tally(function, t)
        character(len=*), intent(in) :: function
        type(tally), intent(in) :: t
        call truth(function // ".calls", t%calls)
        call truth(function // ".total", t%total)
        call truth(function // ".frees", t%frees)
        call truth(function // ".live", t%total - t%freed)
        call truth(function // ".live_blocks", t%calls - t%frees)
    end subroutine

end module

program marks_f
    use marks_work
    use residue
    implicit none
    integer(int64) :: events, i, hits, snapshots
    character(len=32) :: argument

    events = 100
    if (command_argument_count() > 0) then
        call get_command_argument(1, argument)
        read (argument, *) events
    end if
    hits = 0
    snapshots = 0
    do i = 0, events - 1
        call residue_event_begin(i)
        call residue_stamp("begin")
        call residue_scope_begin("leaky")
        call leak_here()
        call residue_scope_end()
        call residue_stamp("middle")
        call churn_here()
        call residue_count("hits", mod(i, 7_int64))
        hits = hits + mod(i, 7_int64)
        if (i == events / 2) then
            call residue_snapshot("half")
            snapshots = snapshots + 1
        end if
        call residue_stamp("end")
        call residue_event_end(i)
    end do
    call truth("events", events)
    call truth("stamps", 3 * events)
    call truth("scopes", events)
    call truth("counts", events)
    call truth("hits", hits)
    call truth("snapshots", snapshots)
    call truth("leaked_blocks", leaked%calls)
    call truth("leaked_bytes", leaked%total)
    call truth_tally("leak_here", leaked)
    call truth_tally("churn_here", churned)
end program
